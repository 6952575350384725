import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import type { Request, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { z } from 'zod';
import { Failure } from '../domain/failure.ts';
import { parseListQuery } from '../domain/list-query.ts';
import { recordTypes } from '../domain/record-types.ts';
import type { RecordType } from '../domain/record-types.ts';
import { parseJsonBody, readBody } from '../http/body.ts';
import type { RecordRepository } from '../storage/record.repository.ts';
import type { WebhookRepository } from '../storage/webhook.repository.ts';
import type { Workspace, WorkspaceRepository } from '../storage/workspace.repository.ts';
import { authenticate, requireScope } from './credential.ts';
import type { RecordOperations } from './record-operations.ts';
import { idOf, methodNotAllowed } from './route.ts';
import type { RouteMaker } from './route.ts';
import { webhookRoutes } from './webhook.routes.ts';

/** The parts that the API works on. */
export interface ApiParts {
  readonly provider: Provider;
  readonly apiToken: string;
  readonly userEmail: string;
  readonly records: RecordRepository;
  readonly operations: RecordOperations;
  readonly workspaces: WorkspaceRepository;
  readonly webhooks: WebhookRepository;
}

const failureSchema = z.strictObject({
  status: z.int().min(400).max(599).default(500),
  delayMs: z.int().min(0).max(60_000).default(0),
  message: z.string().min(1).max(1000).default('This failure was asked for.'),
});

/** The JSON API below `/api`. */
export function apiRoutes(parts: ApiParts): Router {
  const router = express.Router();

  const route: RouteMaker = (scope, run) => async (req, res) => {
    const credential = await authenticate(req, parts.provider, parts.apiToken);
    const workspace = chosenWorkspace(req, parts.workspaces);
    requireScope(credential, scope);
    await parseJsonBody(req, res);
    await run({ req, res, credential, workspace });
  };

  for (const type of recordTypes) recordRoutes(router, type, parts, route);
  webhookRoutes(router, parts.webhooks, route);

  router
    .route('/whoami')
    .get(
      route('crm.read', ({ res, credential, workspace }) => {
        const email = credential.user === null ? null : parts.userEmail;
        const { user, scopes, authentication, clientId } = credential;
        res.json({ user, email, workspace, scopes, authentication, clientId });
      }),
    )
    .all(methodNotAllowed('GET'));

  router
    .route('/workspaces')
    .get(route('crm.read', ({ res }) => void res.json({ items: parts.workspaces.list() })))
    .all(methodNotAllowed('GET'));

  router
    .route('/simulate-failure')
    .post(
      route('crm.read', async ({ req }) => {
        const { status, delayMs, message } = readBody(req, failureSchema);
        await delay(delayMs, undefined, { ref: false });
        throw new Failure(status, 'simulated_failure', message);
      }),
    )
    .all(methodNotAllowed('POST'));

  router.use((req) => {
    throw new Failure(404, 'not_found', `There is no ${req.originalUrl.split('?')[0]}.`);
  });
  return router;
}

function recordRoutes(
  router: Router,
  type: RecordType,
  { records, operations }: ApiParts,
  route: RouteMaker,
): void {
  router
    .route(`/${type.path}`)
    .get(
      route('crm.read', ({ req, res, workspace }) => {
        const query = parseListQuery(type, new URL(req.originalUrl, 'http://localhost').searchParams);
        res.json(records.list(type, workspace.id, query));
      }),
    )
    .post(
      route('crm.write', ({ req, res, workspace }) => {
        res.status(201).json(operations.create(type, workspace.id, readBody(req, type.createSchema)));
      }),
    )
    .all(methodNotAllowed('GET, POST'));

  const { updateSchema } = type;
  const one = router.route(`/${type.path}/:id`).get(
    route('crm.read', ({ req, res, workspace }) => {
      res.json(operations.get(type, workspace.id, idOf(req)));
    }),
  );
  if (updateSchema !== undefined) {
    one.patch(
      route('crm.write', ({ req, res, workspace }) => {
        res.json(operations.update(type, workspace.id, idOf(req), readBody(req, updateSchema)));
      }),
    );
  }
  if (type.canDelete) {
    one.delete(
      route('crm.write', ({ req, res, workspace }) => {
        operations.delete(type, workspace.id, idOf(req));
        res.status(204).end();
      }),
    );
  }
  const methods = [
    'GET',
    ...(updateSchema === undefined ? [] : ['PATCH']),
    ...(type.canDelete ? ['DELETE'] : []),
  ];
  one.all(methodNotAllowed(methods.join(', ')));
}

/** The workspace that `x-workspace` names, or the first one without the header. Every credential has access to all of them. */
function chosenWorkspace(req: Request, workspaces: WorkspaceRepository): Workspace {
  const id = req.get('x-workspace') ?? '';
  const visible = workspaces.list();
  const chosen = id === '' ? visible[0] : visible.find((workspace) => workspace.id === id);
  if (chosen === undefined) {
    throw new Failure(403, 'workspace_forbidden', `This credential does not see the workspace '${id}'.`);
  }
  return chosen;
}
