import { ApiError, validationError } from '@fairlead/errors/api-error';

/** The CONFLICT for an e-mail address that another user of the account has. */
export function emailTaken(): ApiError {
  return new ApiError('CONFLICT', 'The account already has a user with this e-mail address.');
}

/** Throws VALIDATION_ERROR for an address with capitals, naming the request's `field`: addresses are compared byte by byte. */
export function requireLowerCase(field: string, email: string | undefined): void {
  if (email === undefined || (email !== '' && email === email.toLowerCase())) return;
  throw validationError({ field, issue: 'must be an e-mail address in lower case' });
}
