"""Episodes played on other processes and machines.

The process that was started plans, keeps the account, the limits, the log and all files. A worker sets up, plays and
scores, and asks and tells over one connection (`link`, whose other end is `service`) what a local episode asks and
tells the run's own objects. What travels with the work, and back, is in `errand`.
"""
