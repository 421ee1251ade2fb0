"""The libraries that run models. Only here ``llama_cpp`` and ``ik_llama_cpp`` are imported;
the rest of the engine knows ``engine/backend.py``, and nothing of it imports this package.
"""
