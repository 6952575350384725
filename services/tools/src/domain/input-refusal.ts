import type { InputIssue } from '@fairlead/connector-runtime/call';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { validationError } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import { maskedMessage } from './history-record.ts';

/** VALIDATION_ERROR with the issues of a runtime or a vendor; these secrets are masked in them. */
export function inputRefusal(issues: readonly InputIssue[], secrets: readonly string[]): ApiError {
  const masker = createMasker(secrets);
  const mask = (text: string): string => maskedMessage(text, masker);
  return validationError(...issues.map(({ field, issue }) => ({ field: mask(field), issue: mask(issue) })));
}
