import type { Handler } from '@fairlead/connector-runtime/handler';
import { sendRequest } from './send-request.ts';

/** What the manifest of `http` names. */
export const handlers: Readonly<Record<string, Handler>> = { sendRequest };
