import type { File } from '@fairlead/contracts/tools/v1/file_service_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { presentTime } from './values.ts';

/** A file of the account. */
export const fileRecord = z
  .strictObject({
    fileId: z.string(),
    url: z
      .string()
      .describe('Downloads the file without a credential, always as an attachment; valid for 15 minutes.'),
    name: z.string(),
    contentType: z.string(),
    sizeBytes: z.int(),
    sha256: z.string().describe('Of the content, in hexadecimal digits.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    expiresAt: timestamp.describe('When the file is removed.'),
  })
  .meta({ id: 'StoredFile' });

/** A file of the account. */
export function presentFile(file: File): z.output<typeof fileRecord> {
  const { fileId, url, name, contentType, sizeBytes, sha256 } = file;
  return {
    fileId,
    url,
    name,
    contentType,
    sizeBytes: Number(sizeBytes),
    sha256,
    createdAt: presentTime(file.createdAt),
    updatedAt: presentTime(file.updatedAt),
    expiresAt: presentTime(file.expiresAt),
  };
}
