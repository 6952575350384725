import type { Destination } from '@fairlead/contracts/delivery/v1/destination_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { DISABLED_REASONS, nameOf, namesOf } from './enums.ts';
import { presentTime } from './values.ts';

const members = {
  id: z.string(),
  name: z.string(),
  url: z.string(),
  headers: z
    .record(z.string(), z.null())
    .describe('The names of the headers that each request has in addition; values are not returned.'),
  isEnabled: z.boolean(),
  disabledReason: z.enum(namesOf(DISABLED_REASONS)).nullable().describe('Null while it is enabled.'),
  consecutiveFailures: z.int32().describe('Distinct events in a row that were dead-lettered.'),
  maxConsecutiveFailures: z.int32().describe('As many of them disable it.'),
  createdAt: timestamp,
  updatedAt: timestamp,
} as const;

export const destinationRecord = z.strictObject(members).meta({ id: 'Destination' });

/** A destination with its new signing secret, which is shown once. */
export const issuedDestinationRecord = z
  .strictObject({
    ...members,
    signingSecret: z
      .string()
      .describe('`whsec_` and the base64 of 32 bytes. Returned by create and rotate only.'),
  })
  .meta({ id: 'IssuedDestination' });

/** A destination, without its signing secret and the values of its headers. */
export function presentDestination(destination: Destination): z.output<typeof destinationRecord> {
  const { id, name, url, headerNames, isEnabled, disabledReason, createdAt, updatedAt } = destination;
  return {
    id,
    name,
    url,
    headers: Object.fromEntries(headerNames.map((header) => [header, null])),
    isEnabled,
    disabledReason: isEnabled ? null : nameOf(DISABLED_REASONS, disabledReason),
    consecutiveFailures: destination.consecutiveFailures,
    maxConsecutiveFailures: destination.maxConsecutiveFailures,
    createdAt: presentTime(createdAt),
    updatedAt: presentTime(updatedAt),
  };
}
