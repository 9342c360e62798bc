"""``make sam-local``: the event files in containers, by ``sam local invoke``, over a local store and queue."""
