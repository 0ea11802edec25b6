"""How AdaBoostMHClassifier is trained: rows, rounds, when to stop, what each feature did."""
