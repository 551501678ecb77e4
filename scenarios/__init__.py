"""The scenario types that come with gitgoodbench, each a plug-in in a folder of its own."""
