import type { Router } from 'express';
import { z } from 'zod';
import { Failure, invalid, notFound } from '../domain/failure.ts';
import { readBody } from '../http/body.ts';
import type { WebhookRepository } from '../storage/webhook.repository.ts';
import { subscriptionSchema, toView } from '../webhooks/subscription.ts';
import { idOf, methodNotAllowed } from './route.ts';
import type { RouteMaker } from './route.ts';

const MAX_SUBSCRIPTIONS = 2000;

const pageSchema = z.object({
  top: z.coerce.number().int().min(1).max(100).default(100),
  offset: z.coerce.number().int().min(0).default(0),
});

/** Adds the operations on webhook subscriptions of a workspace. */
export function webhookRoutes(router: Router, webhooks: WebhookRepository, route: RouteMaker): void {
  router
    .route('/webhooks')
    .get(
      route('crm.read', ({ req, res, workspace }) => {
        const page = pageSchema.safeParse(req.query);
        if (!page.success) throw invalid([{ field: 'top, offset', message: 'must be whole numbers' }]);
        const { top, offset } = page.data;
        const all = webhooks.list(workspace.id);
        res.json({ items: all.slice(offset, offset + top).map(toView), totalCount: all.length });
      }),
    )
    .post(
      route('crm.write', ({ req, res, workspace }) => {
        const values = readBody(req, subscriptionSchema);
        if (webhooks.count(workspace.id) >= MAX_SUBSCRIPTIONS) {
          throw new Failure(
            409,
            'too_many_webhooks',
            `A workspace has at most ${MAX_SUBSCRIPTIONS} webhooks.`,
          );
        }
        const createdAt = new Date().toISOString();
        res.status(201).json(toView(webhooks.insert({ ...values, workspaceId: workspace.id, createdAt })));
      }),
    )
    .all(methodNotAllowed('GET, POST'));

  router
    .route('/webhooks/:id')
    .get(
      route('crm.read', ({ req, res, workspace }) => {
        const found = webhooks.find(workspace.id, idOf(req));
        if (found === undefined) throw notFound('webhook', idOf(req));
        res.json(toView(found));
      }),
    )
    .delete(
      route('crm.write', ({ req, res, workspace }) => {
        if (!webhooks.delete(workspace.id, idOf(req))) throw notFound('webhook', idOf(req));
        res.status(204).end();
      }),
    )
    .all(methodNotAllowed('GET, DELETE'));
}
