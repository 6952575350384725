import type { ApiError } from '@fairlead/errors/api-error';
import { z } from 'zod';

const detail = z
  .strictObject({
    field: z.string().describe('Path of the field as sent: `connections[0].connectionId`.'),
    issue: z.string().describe('What is wrong with it, for people.'),
  })
  .meta({ id: 'ErrorDetail' });

/** The error envelope of every refusal (rows error-envelope-errorresponse.1 to 6). */
export const errorResponse = z
  .strictObject({
    errorCode: z
      .string()
      .describe('Machine-readable; branch on this. Treat an unknown code as a failure of its status.'),
    message: z.string().describe('For people; may be reworded.'),
    requestId: z.string().describe('The x-request-id of this answer.'),
    timestamp: z.iso.datetime({ precision: 3 }),
    details: z
      .array(detail)
      .optional()
      .describe('Only on field-level validation failures: one entry a field.'),
    candidates: z
      .array(z.string())
      .optional()
      .describe('Only on conflicts that offer a choice, and the nearest slugs where a slug is not known.'),
    approvalId: z
      .string()
      .optional()
      .describe('Only with APPROVAL_REQUIRED: the approval that the call waits for.'),
  })
  .meta({
    id: 'ErrorResponse',
    examples: [
      {
        errorCode: 'VALIDATION_ERROR',
        message: 'The request is not valid. top: must be at most 100',
        requestId: '0198c9e0-5f0a-7c3b-9d4e-6f708192a3b4',
        timestamp: '2026-01-31T12:00:00.000Z',
        details: [{ field: 'top', issue: 'must be at most 100' }],
      },
    ],
  });

/** The envelope of `error`; `details`, `candidates` and `approvalId` are left out if empty. */
export function errorEnvelope(error: ApiError, requestId: string, now: Date): z.infer<typeof errorResponse> {
  return {
    errorCode: error.code,
    message: error.message,
    requestId,
    timestamp: now.toISOString(),
    ...(error.details.length > 0 && { details: error.details.map(({ field, issue }) => ({ field, issue })) }),
    ...(error.candidates !== undefined && { candidates: [...error.candidates] }),
    ...(error.approvalId !== undefined && { approvalId: error.approvalId }),
  };
}

/** The envelope in `text` with another request id; the order of members stays. */
export function withRequestId(text: string, requestId: string): string {
  return JSON.stringify({ ...Object(JSON.parse(text)), requestId });
}
