"""Let a customer of your product connect an application on a hosted page, without your key."""

import os

from fairlead import Fairlead

with Fairlead(os.environ["FAIRLEAD_URL"], api_key=os.environ["FAIRLEAD_API_KEY"]) as client:
    end_user_id = "customer-of-the-python-example"
    created = client.end_users.create_connect_session(
        {"endUserId": end_user_id, "applicationSlugs": ["sandbox-crm"]}
    )
    print("For the customer's browser:", created["connectUrl"])

    # Your server learns the outcome from the session.
    session = client.end_users.get_connect_session(created["sessionId"])
    print(f"The session is {session['status']}, with {len(session['connections'])} connections")
    client.end_users.end_connect_session(created["sessionId"])

    # Once somebody is no longer your customer:
    client.end_users.delete(end_user_id)
