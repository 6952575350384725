import { InvalidConnectorError } from '@fairlead/connector-model/codec';
import { serveThread } from '@fairlead/service-kit/threads/serve-thread';
import { checkConnector } from './check-connector.ts';
import type { ConnectorAnswer } from './create-connector-reader.ts';

serveThread((encodedConnector) => ({
  // createConnectorReader sends this type.
  answer: answerFor(encodedConnector as Uint8Array),
  handedOver: [],
}));

function answerFor(encodedConnector: Uint8Array): ConnectorAnswer {
  try {
    return { kind: 'accepted', connector: checkConnector(encodedConnector) };
  } catch (error) {
    if (!(error instanceof InvalidConnectorError)) throw error;
    return { kind: 'refused', issues: error.issues };
  }
}
