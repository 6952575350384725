import type { Handler } from '@fairlead/connector-runtime/handler';
import { sendRequest } from './send-request.ts';
import { testConnection } from './test-connection.ts';

/** The handlers that the manifest of `http` names. */
export const handlers: Readonly<Record<string, Handler>> = { sendRequest, testConnection };
