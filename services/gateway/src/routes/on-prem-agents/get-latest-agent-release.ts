import { z } from 'zod';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { timestamp } from '@fairlead/rest-kit/fields';
import { defineRoute } from '../define-route.ts';

const PLATFORMS = ['linux-x64', 'linux-arm64'] as const;

const response = z
  .strictObject({
    version: z.string(),
    platform: z.enum(PLATFORMS),
    url: z.string().describe('The address of the installer.'),
    sha256: z
      .string()
      .nullable()
      .describe('Shows that a download is whole, not that it is authentic. Null: degraded.'),
    sizeBytes: z.int().nullable().describe('Null: degraded.'),
    releasedAt: timestamp.nullable().describe('Null: degraded.'),
    degraded: z
      .boolean()
      .describe(
        'Nothing is known but the address. Refuse such a record if you have to verify the installer.',
      ),
  })
  .meta({ id: 'OnPremAgentRelease' });

export const getLatestAgentRelease = defineRoute(
  {
    operationId: 'getLatestAgentRelease',
    method: 'get',
    path: '/v1/on-prem-agents/releases/latest',
    tags: ['On-prem agents'],
    summary: 'Find the installer of the on-prem agent',
    description: 'Needs no credential.',
    auth: 'anonymous',
    services: ['agentReleases'],
    query: z.object({ platform: z.enum(PLATFORMS).default('linux-x64') }),
    response,
  },
  async ({ ctx, query: { platform }, services }) => {
    const { version, url, file } = await services.agentReleases.getLatestRelease(ctx, { platform });
    return {
      version,
      platform,
      url,
      sha256: file?.sha256 ?? null,
      sizeBytes: file === undefined ? null : Number(file.sizeBytes),
      releasedAt: file?.releasedAt === undefined ? null : timestampDate(file.releasedAt).toISOString(),
      degraded: file === undefined,
    };
  },
);
