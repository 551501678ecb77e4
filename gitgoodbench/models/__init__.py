"""Models behind the Chat Completions API: how they are asked, what they used, what it cost.

Agents and judges ask models by this; it knows neither.
"""
