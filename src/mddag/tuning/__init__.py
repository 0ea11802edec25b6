"""One number comes in (price, budget, or what may be lost), one policy goes out.

``sparsify`` and ``sweep`` split the rows (``problem``), learn policies at several prices
(``front``), measure what each loses against the full ensemble (``excess_loss``) and prove it
on rows held out (``guarantee``); ``targets`` checks what a user gives. Start with
``sparsify``.
"""
