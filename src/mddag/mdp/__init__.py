"""Section 2 of the paper: votes, labels, loss and price come in, the value of a policy goes out.

``MDP`` is the decision process on a sample of rows, Eqs. (4) to (8); ``State`` what is carried for
a row and becomes a cell; ``Grid`` the cells of scores; ``Policy`` one action per step and cell;
``Curve`` the policies of several prices; ``mdp_of`` makes the MDP of an ensemble;
``arguments`` checks what a user gives. ``solvers`` find policies. Start with ``mdp``."""
