"""Write the golden cases: ``python -m tests.golden.make`` writes models, rows, policies and
answers; ``python -m tests.golden.make --answers`` writes the answers alone.

Answers of a stored model and policy must never change: where ``--answers`` changes anything but
``learned.*`` or ``predict_proba`` beyond rounding, models that users have saved decide differently.
"""

import argparse
import json

import numpy as np

import mddag
from tests.detection.cascade_file import FEATURE, STAGE, TREE, new_format
from tests.golden.cases import CASES, DATA, N_ANSWERED, detected

EVAL, SKIP, QUIT = 0, 1, 2
N_TRAINED = 1500  # rows that models are trained on, which are not stored
N_ROWS = 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", action="store_true", help="keep models, rows and policies")
    DATA.mkdir(exist_ok=True)
    if not parser.parse_args().answers:
        for make in (lightgbm_case, xgboost_case, catboost_case, adaboost_case, ranker_case):
            make()
        detector_case()
    for case in CASES:
        found = case.answered(case.predictor)
        for number, asked in enumerate(case.learned):
            mean, quality, predicted = case.measured(case.sparsified(asked))
            found[f"learned.{number}"] = np.array([mean, quality])
            found[f"learned.{number}.predict"] = predicted
            print(f"{case.name} {asked}: {mean:.2f} evaluated, quality {quality:.4f}")
        if case.name == "adaboost":
            found["learned.boosted"] = case.boosted()
        save(f"{case.name}.answers", **found)
    boxes, scores = detected(mddag.Detector.from_opencv(DATA / "detector.xml"))
    save("detector.answers", boxes=boxes, scores=scores)
    print(f"detector: {len(boxes)} objects")


def save(name, **arrays):
    np.savez_compressed(DATA / f"{name}.npz", **arrays)


def problem(seed, n_classes, n_features=5):
    """Rows with missing values and a nominal last feature; classes that overlap a little."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_TRAINED + N_ROWS, n_features)).round(2).astype(np.float32)
    X[:, -1] = rng.integers(0, 6, len(X))
    worth = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(3 * X[:, 3]) + (X[:, -1] % 2)
    worth += 0.3 * rng.normal(size=len(X))
    y = np.searchsorted(np.quantile(worth, np.arange(1, n_classes) / n_classes), worth)
    X[rng.random(X.shape) < 0.03] = np.nan
    return X, y


def policy(rng, scores, n_steps, every=1, verdicts=False, shuffled=False):
    """Arrays of a policy that quits where scores are far apart, the farther the earlier; some
    cells skip, and some quits have verdicts, right and wrong."""
    n_scores = scores.shape[1]
    best = np.sort(scores, axis=1)
    states = scores[:, 0] if n_scores == 1 else best[:, -1] - best[:, -2]
    edges = np.unique(np.quantile(states, np.arange(1, 16) / 16).round(3))
    centers = np.concatenate([edges[:1], (edges[1:] + edges[:-1]) / 2, edges[-1:]])
    certainty = np.tile(np.abs(centers) / np.abs(centers).max(), n_scores)
    left = 1 - np.arange(0, n_steps, every)[:, None] / n_steps
    actions = np.where(certainty > 0.15 + 0.8 * left, QUIT, EVAL)
    actions[(rng.random(actions.shape) < 0.2) & (actions == EVAL)] = SKIP
    order = rng.permutation(n_steps) if shuffled else np.arange(n_steps)
    found = {"edges": edges, "actions": actions.astype(np.uint8), "order": order, "every": every}
    if verdicts:
        top = np.repeat(np.arange(n_scores), len(centers)) if n_scores > 1 else centers > 0
        verdict = np.tile(top, (len(actions) + 1, 1)).astype(np.int16)
        verdict[rng.random(verdict.shape) < 0.05] = 0
        verdict[rng.random(verdict.shape) < 0.3] = -1  # decided by the scores
        found["verdict"] = verdict
    return found


def write(name, X, y, ensemble, seed, qid=None, **options):
    """Rows and a policy of a model."""
    scores = ensemble.scores(X[N_ANSWERED:])
    more = {} if qid is None else {"qid": qid}
    found = policy(np.random.default_rng(seed), scores, len(ensemble), **options)
    save(name, X=X, y=y, **more, **found)


def lightgbm_case():
    import lightgbm

    X, y = problem(1, 2)
    model = lightgbm.LGBMClassifier(
        n_estimators=60, num_leaves=8, max_cat_to_onehot=1, verbose=-1, n_jobs=1, random_state=0
    )
    model.fit(X[:N_TRAINED], y[:N_TRAINED], categorical_feature=[X.shape[1] - 1])
    model.booster_.save_model(DATA / "lightgbm.txt", importance_type="gain")
    ensemble = mddag.as_ensemble(DATA / "lightgbm.txt")
    write("lightgbm", X[N_TRAINED:], y[N_TRAINED:], ensemble, 1, shuffled=True)


def xgboost_case():
    import xgboost

    X, y = problem(2, 4)
    model = xgboost.XGBClassifier(
        n_estimators=24, max_depth=2, learning_rate=0.7, base_score=0.5, n_jobs=1, random_state=0
    )
    model.fit(X[:N_TRAINED], y[:N_TRAINED]).save_model(DATA / "xgboost.json")
    ensemble = mddag.as_ensemble(DATA / "xgboost.json")
    write("xgboost", X[N_TRAINED:], y[N_TRAINED:], ensemble, 2, every=2, verdicts=True)


def catboost_case():
    import catboost

    X, y = problem(3, 2)
    model = catboost.CatBoostClassifier(
        n_estimators=60,
        depth=3,
        learning_rate=0.2,
        thread_count=1,
        random_seed=0,
        logging_level="Silent",
        allow_writing_files=False,
    )
    model.fit(X[:N_TRAINED], y[:N_TRAINED]).save_model(str(DATA / "catboost.json"), format="json")
    content = json.loads((DATA / "catboost.json").read_text())
    for of_this_run in ("catboost_version_info", "model_guid", "train_finish_time"):
        del content["model_info"][of_this_run]
    (DATA / "catboost.json").write_text(json.dumps(content, indent=1) + "\n")
    ensemble = mddag.as_ensemble(DATA / "catboost.json")
    write("catboost", X[N_TRAINED:], y[N_TRAINED:], ensemble, 3, verdicts=True)


def adaboost_case():
    X, y = problem(4, 3)
    X, y = np.nan_to_num(X), np.array(["low", "middle", "high"])[y]
    model = mddag.AdaBoostMHClassifier(n_rounds=80, random_state=0)
    ensemble = mddag.as_ensemble(model.fit(X[:N_TRAINED], y[:N_TRAINED]))
    trees = [ensemble.tree(t) for t in range(ensemble.n_trees)]
    roots = [tree.records[0] for tree in trees]
    # Leaf codes of the children, in the order in which stumps are built from them.
    sides = [
        tree.records[[root["left"], root["right"]]]["left"]
        for tree, root in zip(trees, roots, strict=True)
    ]
    save(
        "adaboost.stumps",
        feature=np.array([root["feature"] for root in roots]),
        threshold=np.array([root["threshold"] for root in roots]),
        votes=np.array([tree.votes[codes] for tree, codes in zip(trees, sides, strict=True)]),
        bias=ensemble.bias,
        classes=ensemble.classes,
        n_features=X.shape[1],
    )
    write("adaboost", X[N_TRAINED:], y[N_TRAINED:], ensemble, 4, shuffled=True)


def ranker_case():
    import lightgbm

    X, y = problem(5, 4)
    qid = np.arange(len(X)) // 10
    model = lightgbm.LGBMRanker(n_estimators=60, num_leaves=6, verbose=-1, n_jobs=1, random_state=0)
    model.fit(X[:N_TRAINED], y[:N_TRAINED], group=np.bincount(qid[:N_TRAINED]))
    model.booster_.save_model(DATA / "ranker.txt")
    ensemble = mddag.as_ensemble(DATA / "ranker.txt")
    write("ranker", X[N_TRAINED:], y[N_TRAINED:], ensemble, 5, qid=qid[N_TRAINED:])


def detector_case():
    """A cascade of OpenCV for patches that are bright on the left and below, and a picture."""
    rectangles = ("1 1 10 10 -1.", "1 1 5 10 2."), ("1 1 10 10 -1.", "1 6 10 5 2.")
    inside = ("1 1 5 10 -1.", "1 6 5 5 2."), ("6 1 5 10 -1.", "6 6 5 5 2.")
    features = "".join(
        FEATURE.format(rects="".join(f"<_>{r}</_>" for r in pair), tilted="0")
        for pair in (*rectangles, *inside)
    )
    first = TREE.format(nodes="0 -1 0 1.5e-01", leaves="-1. 1.")
    second = TREE.format(nodes="0 1 0 2e-01 -1 -2 1 1e-01", leaves="-0.5 0.25 1.5")
    more = [TREE.format(nodes=f"0 -1 {number} 2e-02", leaves="-0.6 0.7") for number in (1, 2, 3)]
    stages = STAGE.format(threshold="0.5", trees=first)
    stages += STAGE.format(threshold="1.2", trees=second + "".join(more))
    text = new_format(height="12", width="12", stages=stages, features=features)
    (DATA / "detector.xml").write_text(text)
    rng = np.random.default_rng(6)
    picture = rng.integers(60, 120, (90, 120)).astype(np.uint8)
    for top, left, side in ((10, 12, 12), (40, 20, 24), (30, 70, 36), (70, 100, 14)):
        half = side // 2
        picture[top : top + side, left : left + half] += 50
        picture[top + half : top + side, left : left + side] += 40
    save("detector", picture=picture)


if __name__ == "__main__":
    main()
