import type { Request, RequestHandler, Response } from 'express';
import { Failure } from '../domain/failure.ts';
import type { CrmScope } from '../oauth/scopes.ts';
import type { Workspace } from '../storage/workspace.repository.ts';
import type { Credential } from './credential.ts';

/** An authenticated call in a workspace. */
export interface Call {
  readonly req: Request;
  readonly res: Response;
  readonly credential: Credential;
  readonly workspace: Workspace;
}

/** Makes a handler that runs only for credentials with the scope. */
export type RouteMaker = (scope: CrmScope, run: (call: Call) => void | Promise<void>) => RequestHandler;

/** The id in the path. */
export function idOf(req: Request): string {
  return String(req.params['id']);
}

/** Answers every other method with a 405 `Failure`. */
export function methodNotAllowed(allow: string): RequestHandler {
  return (req) => {
    throw new Failure(405, 'method_not_allowed', `${req.method} is not possible here, only ${allow}.`, {
      headers: { allow },
    });
  };
}
