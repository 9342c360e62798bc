"""What the worker depends on, made once a process; none of it knows a user."""

from functools import cache

from functions.role_memory.embedding import EmbeddingMeasure
from functions.role_memory.learning import Learner
from functions.role_memory.reading import ModelReader
from functions.role_memory.settings import RoleSettings, settings
from functions.role_memory.similarity import FirstThatWorks, Measure, ModelMeasure
from functions.role_memory.worker import Worker
from shared.aws import dynamodb_client, sqs_client
from shared.clock import utc_now
from shared.model.endpoint import endpoint_of
from shared.model.openai import OpenAIEmbedder
from shared.model.structured import OpenAIStructured
from shared.queue import SqsDoorbell
from shared.store.stores import Stores


@cache
def worker() -> Worker:
    """Return the worker of this process."""
    config = settings()
    queue = SqsDoorbell(sqs_client(), config.doorbell_queue_url)
    return Worker(_learner(config), queue, config.role_max_receives)


def _learner(config: RoleSettings) -> Learner:
    model = OpenAIStructured(endpoint_of(config), config.role_model)
    measure: Measure = ModelMeasure(model)
    if config.embedding_model:
        embedder = OpenAIEmbedder(endpoint_of(config, config.embedding_base_url), config.embedding_model)
        measure = FirstThatWorks(EmbeddingMeasure(embedder), measure)
    return Learner(
        stores=Stores.over(dynamodb_client(), config),
        reader=ModelReader(model, measure, config.role_history_questions),
        settings=config,
        clock=utc_now,
    )
