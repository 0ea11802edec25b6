"""Figure 3 in parts: ``cases`` has the documents and the full models, ``documents_alone`` and
``whole_queries`` what is compared, ``curves`` the means over folds, ``plots`` the panels."""
