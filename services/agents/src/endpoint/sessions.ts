import type { IncomingMessage } from 'node:http';
import { INSTANCE_FORM, INSTANCE_HEADER } from '@fairlead/agent-channel/channel';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { ChannelRefusal } from '../domain/channel-refusal.ts';
import { tokenHashOf } from '../domain/agent-token.ts';
import type { AgentSession, AgentSessions } from '../ports/agent-sessions.ts';

/** The credential of an agent's request, and the sending process. */
export interface AgentCredential {
  readonly tokenHash: string;
  readonly instance: string;
}

/** Reads the headers; UNAUTHORIZED without a token, VALIDATION_ERROR without a process id. */
export function credentialOf({ headers }: Pick<IncomingMessage, 'headers'>): AgentCredential {
  const [, token] = /^Bearer (opa_[A-Za-z0-9]{1,100})$/i.exec(headers.authorization ?? '') ?? [];
  if (token === undefined) throw unknownToken();
  const instance = headers[INSTANCE_HEADER];
  if (typeof instance !== 'string' || !INSTANCE_FORM.test(instance))
    throw validationError({ field: INSTANCE_HEADER, issue: 'must be 22 base64url characters' });
  return { tokenHash: tokenHashOf(token), instance };
}

/** The agent that the process runs; UNAUTHORIZED for an unknown token, ChannelRefusal if another process runs the agent. */
export async function requiredSession(
  sessions: Pick<AgentSessions, 'findByToken'>,
  ctx: RequestContext,
  { tokenHash, instance }: AgentCredential,
): Promise<AgentSession> {
  const session = await sessions.findByToken(ctx, tokenHash);
  if (session === undefined) throw unknownToken();
  if (session.instance !== instance)
    throw new ChannelRefusal('AGENT_REPLACED', 'Another process runs this agent now.');
  return session;
}

/** UNAUTHORIZED for an unknown token. */
export function unknownToken(): ApiError {
  return new ApiError('UNAUTHORIZED', 'The token belongs to no on-prem agent, or was replaced.');
}
