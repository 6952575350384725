import { serveHandlers } from '@fairlead/connector-runtime/workers/serve-handlers';
import { connectorHandlers } from './handlers.ts';

serveHandlers(connectorHandlers);
