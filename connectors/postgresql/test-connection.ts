import type { Handler } from '@fairlead/connector-runtime/handler';
import { withSession } from './session.ts';

/** Logs in and asks for nothing: the login is the proof. */
export const testConnection: Handler = (call) => withSession(call, 'read', async () => ({}));
