import type { Handler } from '@fairlead/connector-runtime/handler';
import { withSession } from './session.ts';

/** Logs in and runs no query: a successful login proves the credential. */
export const testConnection: Handler = (call) => withSession(call, 'read', async () => ({}));
