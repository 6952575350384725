import express from 'express';
import type { Router } from 'express';
import type { ResolvedConfig } from '../config.ts';
import { isPerson, NO_MATCH, signInForm } from '../domain/sign-in-form.ts';
import { apiTokenPage, apiTokenSignInPage } from '../pages/api-token.page.ts';
import { pageHeaders } from '../pages/layout.ts';

/** The page that shows a person their API token after a sign-in. The sign-in is not stored. */
export function settingsRoutes({ apiToken, user }: Pick<ResolvedConfig, 'apiToken' | 'user'>): Router {
  const router = express.Router();
  router.use(express.urlencoded({ extended: false, limit: '16kb' }));
  router.use((_req, res, next) => {
    res.set(pageHeaders()).type('html');
    next();
  });
  router.get('/api-token', (_req, res) => {
    res.send(apiTokenSignInPage({ email: '', problem: undefined }));
  });
  router.post('/api-token', (req, res) => {
    const form = signInForm.parse(req.body ?? {});
    if (isPerson(form, user)) res.send(apiTokenPage(apiToken));
    else res.status(401).send(apiTokenSignInPage({ email: form.email, problem: NO_MATCH }));
  });
  return router;
}
