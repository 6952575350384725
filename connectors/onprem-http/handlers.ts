import type { Handler } from '@fairlead/connector-runtime/handler';
import { sendRequest } from '../http/send-request.ts';

/** The handlers of the connector `onprem-http`, which agents run. */
export const handlers: Readonly<Record<string, Handler>> = { sendRequest };
