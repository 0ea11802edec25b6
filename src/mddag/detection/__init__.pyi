from .detector import Detector as Detector
from .haar import Haar as Haar
from .rejection import Rejection as Rejection
from .rejection import sparsify as sparsify
from .soft_cascades import SoftCascadeClassifier as SoftCascadeClassifier
from .soft_cascades import WaldBoostClassifier as WaldBoostClassifier
from .stage_cascades import FCBoostClassifier as FCBoostClassifier
from .stage_cascades import VJCascadeClassifier as VJCascadeClassifier
