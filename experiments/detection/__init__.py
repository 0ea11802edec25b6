"""Figure 2 in parts: ``cases`` has the rows and the pools of base classifiers, ``methods`` what is
compared, ``plots`` the panels."""
