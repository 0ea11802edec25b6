"""Import a trained ensemble and hold its scores against the source model's."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import train_test_split

import mddag


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    model = GradientBoostingClassifier(n_estimators=200, max_leaf_nodes=8, random_state=0)
    model.fit(X_train, y_train)

    ensemble = mddag.as_ensemble(model)
    scores = ensemble.scores(X_test)
    difference = np.abs(scores[:, 0] - model.decision_function(X_test)).max()
    print(ensemble)
    print(f"test error               {np.mean(ensemble.labels(scores) != y_test):.4f}")
    print(f"largest score difference {difference:.1e}")
    print(f"labels that differ       {np.sum(ensemble.labels(scores) != model.predict(X_test))}")


if __name__ == "__main__":
    main()
