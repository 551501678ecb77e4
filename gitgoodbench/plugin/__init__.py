"""What scenarios have in common, to build a new one from. The contract (gitgoodbench.scenario) asks for none of it."""
