"""Browse the catalogue, connect an application, do something with it, see what went wrong."""

import os
import uuid

from fairlead import Fairlead, FairleadError

with Fairlead(os.environ["FAIRLEAD_URL"], api_key=os.environ["FAIRLEAD_API_KEY"]) as client:
    applications = client.applications.list(search="crm", top=5)
    print("Applications:", ", ".join(application["name"] for application in applications["items"]))

    connection = client.connections.create(
        {
            "applicationSlug": "sandbox-crm",
            "connectionName": "CRM of the Python quickstart",
            "fields": {"apiToken": os.environ["SANDBOX_CRM_API_KEY"]},
        },
        # A key of your own holds across crashes of your program; each POST has one anyway.
        options={"idempotency_key": f"quickstart-{uuid.uuid4()}"},
    )
    print(f"Connected: {connection['connectionName']} is {connection['status']}")

    result = client.tools.execute(
        "sandbox-crm-create-contact",
        {"fields": {"name": "Ada Lovelace", "email": "ada@example.com"}},
        connection_id=connection["id"],
    )
    # A failure at the vendor is no error of the API: branch on isSuccess.
    print("Created:", result["output"]["name"] if result["isSuccess"] else result["errorMessage"])

    # Every list has an iterator: pages are fetched as they are needed.
    tools = [tool["toolSlug"] for tool in client.tools.iterate(application_slug="sandbox-crm", top=2)]
    print(len(tools), "tools of", client.tools.list(application_slug="sandbox-crm", top=1)["totalCount"])

    client.connections.delete(connection["id"])
    try:
        client.connections.get(connection["id"])
    except FairleadError as error:
        print("Gone:", error.status, error.error_code, "request", error.request_id)
