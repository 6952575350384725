import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { Request, Response } from 'express';
import type { AgentCredential } from './sessions.ts';

export interface AgentRequest {
  readonly exchange: Exchange;
  readonly request: Request;
  readonly response: Response;
  readonly ctx: RequestContext;
  readonly credential: AgentCredential;
}
