"""Work on other processes and machines: backends, pools of workers, and messages between them and who started them."""
