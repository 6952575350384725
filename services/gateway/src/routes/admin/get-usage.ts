import { z } from 'zod';
import { presentUsageDay, usageDayRecord } from '../../present/usage-day.ts';
import { defineRoute } from '../define-route.ts';

/** A day, which counts from its first moment, or a time. */
const dayOrInstant = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'must be a day, such as 2026-01-31, or a time in ISO 8601 with its offset',
  })
  .transform((text) => new Date(text));

/** GET /admin/v1/usage */
export const getUsage = defineRoute(
  {
    operationId: 'getUsage',
    method: 'get',
    path: '/admin/v1/usage',
    tags: ['Administration'],
    summary: 'Get usage by day',
    description:
      'Every UTC day of the last 30, or of the days that begin between `from` and `to`, newest first. Usage goes back 90 days. Calls are counted within seconds.',
    auth: 'credential',
    services: ['usage'],
    permission: 'administration',
    query: z.object({
      from: dayOrInstant.optional().describe('Inclusive: a day or a time.'),
      to: dayOrInstant.optional().describe('Exclusive, likewise. Default: the end of today.'),
    }),
    page: { defaultTop: 100 },
    response: usageDayRecord,
    errors: [],
  },
  async ({ ctx, query, page, services }) => {
    const { from, to } = query;
    const { items, totalCount } = await services.usage.list(ctx, { period: { from, to }, page });
    return { items: items.map(presentUsageDay), totalCount };
  },
);
