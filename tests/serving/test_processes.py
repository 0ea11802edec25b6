"""A model in a process that forks, or ends, while threads use it."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import mddag
from mddag.serving.model_file import Model
from tests.messages.models import ensemble, policy

N_FORKS = 6  # with a lock in the way, four of five children wait forever


@pytest.fixture
def path(tmp_path):
    Model(mddag.compile(ensemble(), policy())).save(tmp_path / "model.mddag")
    return tmp_path / "model.mddag"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX systems fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_children_load_and_predict_while_threads_of_the_parent_do(path):
    X, done = np.zeros((50, 3)), threading.Event()

    def use():
        while not done.is_set():
            mddag.load(path, n_jobs=2).predict(X)

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(N_FORKS):
            if (child := os.fork()) == 0:
                signal.alarm(60)  # a child that waits is killed
                mddag.load(path, n_jobs=2).predict(X)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("method", ["predict", "scores", "run"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_interpreter_may_end_while_a_daemon_thread_predicts(path, method, n_jobs):
    code = f"""
import threading, time
import numpy as np, mddag
model, X = mddag.load({str(path)!r}, n_jobs={n_jobs}), np.zeros((20_000, 3))
def use():
    while True:
        model.{method}(X)
for _ in range(3):
    threading.Thread(target=use, daemon=True).start()
time.sleep(0.3)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
