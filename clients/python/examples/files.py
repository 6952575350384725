"""A file goes out and comes back, piece by piece.

FAIRLEAD_URL and FAIRLEAD_API_KEY say where and as whom.
"""

import io
import os

from fairlead import Fairlead

with Fairlead(os.environ["FAIRLEAD_URL"], api_key=os.environ["FAIRLEAD_API_KEY"]) as client:
    people = io.BytesIO(b"name,email\nAda,ada@example.com\n")
    file = client.files.upload(people, name="people.csv", content_type="text/csv")
    print(f"Stored: {file['name']}, {file['sizeBytes']} bytes")

    with client.files.download(file["fileId"]) as download:
        print("Received:", sum(len(piece) for piece in download.content), "bytes of", download.file["name"])

    client.files.delete(file["fileId"])
