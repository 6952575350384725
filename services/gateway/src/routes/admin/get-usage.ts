import { z } from 'zod';
import { presentUsageDay, usageDayRecord } from '@fairlead/rest-records/usage-day';
import { defineRoute } from '../define-route.ts';

/** A time, or a day, which means its first moment. */
const dayOrInstant = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'must be a day, such as 2026-01-31, or a time in ISO 8601 with its offset',
  })
  .transform((text) => new Date(text));

export const getUsage = defineRoute(
  {
    operationId: 'getUsage',
    method: 'get',
    path: '/admin/v1/usage',
    tags: ['Administration'],
    summary: 'Get usage by day',
    description:
      'Returns each of the last 30 UTC days, or each UTC day that begins between `from` and `to`, newest first. Usage is kept for 90 days. Calls appear within seconds.',
    services: ['usage'],
    permission: 'administration',
    query: z.object({
      from: dayOrInstant.optional().describe('Inclusive: a day or a time.'),
      to: dayOrInstant.optional().describe('Exclusive: a day or a time. Default: the end of today.'),
    }),
    page: { defaultTop: 100 },
    response: usageDayRecord,
  },
  async ({ ctx, query, page, services }) => {
    const { from, to } = query;
    const { items, totalCount } = await services.usage.list(ctx, { period: { from, to }, page });
    return { items: items.map(presentUsageDay), totalCount };
  },
);
