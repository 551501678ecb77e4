"""What scenarios have in common that stop at the conflicts of a replay: answers, tools, rules, scores."""
