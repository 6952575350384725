// A worker whose network throws at a certain step of a conversation, which the connection names.
import { throwingEgress } from '@fairlead/connector-runtime/testing/throwing-egress';
import { serveHandlers } from '@fairlead/connector-runtime/workers/serve-handlers';
import { connectorHandlers } from '../../handlers.ts';

serveHandlers(async (connectorSlug, name) => {
  const handler = await connectorHandlers(connectorSlug, name);
  return (call) =>
    handler({ ...call, egress: throwingEgress(call.egress, Number(call.credential.fields['throwAtStep'])) });
});
