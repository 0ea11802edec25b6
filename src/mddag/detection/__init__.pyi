from .detector import Detector as Detector
from .fc_boost import FCBoostClassifier as FCBoostClassifier
from .haar import Haar as Haar
from .rejection import Rejection as Rejection
from .soft_cascade import SoftCascadeClassifier as SoftCascadeClassifier
from .target_rates import sparsify as sparsify
from .vj_cascade import VJCascadeClassifier as VJCascadeClassifier
from .wald_boost import WaldBoostClassifier as WaldBoostClassifier
