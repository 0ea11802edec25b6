from . import distributed as distributed
from . import mlflow as mlflow
