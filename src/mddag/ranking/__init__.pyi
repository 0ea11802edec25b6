from .estimator import MDDAGRanker as MDDAGRanker
from .exits import Exits as Exits
from .exits import ProximityExits as ProximityExits
from .exits import UrgencyExits as UrgencyExits
from .predictor import RankPredictor as RankPredictor
from .tuning import sparsify as sparsify
