import { randomBytes } from 'node:crypto';
import express from 'express';
import type { Request, RequestHandler, Response, Router } from 'express';
import { z } from 'zod';
import { Failure } from '../domain/failure.ts';
import { isSameText } from '../domain/same-text.ts';
import { checkBody, parseJsonBody, readBody } from '../http/body.ts';
import { adminPage, adminSignInPage } from '../pages/admin.page.ts';
import { pageHeaders } from '../pages/layout.ts';
import { messagePage } from '../pages/message.page.ts';
import { adminActions } from './actions.ts';
import type { Administration } from './administration.ts';

const COOKIE = 'crm_admin';
const SESSION_MS = 12 * 60 * 60 * 1000;

/** The admin API below `/admin/api`: JSON, authenticated by the header `x-admin-key`. */
export function adminApiRoutes(administration: Administration, adminKey: string): Router {
  const router = express.Router();
  router.use((req, _res, next) => {
    if (isSameText(req.get('x-admin-key') ?? '', adminKey)) return next();
    throw new Failure(401, 'unauthorized', 'Send the admin key in the header x-admin-key.');
  });
  router.get('/state', (_req, res) => void res.json(administration.state()));
  router.get('/requests', (_req, res) => void res.json({ items: administration.traffic.recentRequests() }));
  router.get('/webhooks', (_req, res) => void res.json({ items: administration.webhooks() }));
  router.get(
    '/webhook-deliveries',
    (_req, res) => void res.json({ items: administration.webhookDeliveries() }),
  );
  for (const action of adminActions) {
    router.post(`/${action.name}`, async (req, res) => {
      await parseJsonBody(req, res);
      req.body ??= {};
      res.json(action.run(administration, (schema) => readBody(req, schema)));
    });
  }
  router.use((req) => {
    throw new Failure(404, 'not_found', `There is no ${req.method} ${req.originalUrl.split('?')[0]}.`);
  });
  return router;
}

/** The admin page at `/admin`: the same actions as plain forms, after signing in with the admin key. */
export function adminPageRoutes(administration: Administration, adminKey: string, isHttps: boolean): Router {
  const router = express.Router();
  const sessions = new Map<string, number>();
  router.use(express.urlencoded({ extended: false, limit: '16kb' }));
  router.use((_req, res, next) => {
    res.set(pageHeaders());
    next();
  });

  const isSignedIn = (req: Request): boolean => (sessions.get(sessionIdOf(req)) ?? 0) > Date.now();
  const signedIn: RequestHandler = (req, res, next) => {
    if (isSignedIn(req)) next();
    else res.redirect(303, '/admin');
  };

  router.get('/', (req, res) => {
    const { traffic } = administration;
    res.send(
      isSignedIn(req)
        ? adminPage(administration.state(), administration.workspaces(), traffic.recentRequests())
        : adminSignInPage(undefined),
    );
  });

  router.post('/sign-in', (req, res) => {
    const form = z.object({ adminKey: z.string().default('') }).parse(req.body ?? {});
    if (!isSameText(form.adminKey, adminKey)) {
      res.status(401).send(adminSignInPage('That is not the admin key.'));
      return;
    }
    const id = randomBytes(24).toString('base64url');
    sessions.set(id, Date.now() + SESSION_MS);
    res.cookie(COOKIE, id, {
      httpOnly: true,
      sameSite: 'strict',
      path: '/admin',
      secure: isHttps,
      maxAge: SESSION_MS,
    });
    res.redirect(303, '/admin');
  });

  for (const action of adminActions) {
    router.post(`/actions/${action.name}`, signedIn, (req, res) => {
      action.run(administration, (schema) => checkBody(fromForm(req.body), schema));
      res.redirect(303, '/admin');
    });
  }

  router.use((error: unknown, _req: Request, res: Response, next: (error: unknown) => void) => {
    if (!(error instanceof Failure)) return next(error);
    return res.status(error.status).send(messagePage('That did not work', [error.message]));
  });
  return router;
}

function sessionIdOf(req: Request): string {
  const pair = (req.get('cookie') ?? '').split(/; */).find((one) => one.startsWith(`${COOKIE}=`));
  return pair?.slice(COOKIE.length + 1) ?? '';
}

/** A form's fields in the form of the JSON API: empty ones absent, whole numbers as numbers. */
function fromForm(body: unknown): Record<string, unknown> {
  const fields = z
    .record(z.string(), z.string())
    .catch({})
    .parse(body ?? {});
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, text]) => text.trim() !== '')
      .map(([name, text]) => [name, /^\d{1,9}$/.test(text) ? Number(text) : text]),
  );
}
