import { ApiError } from '@fairlead/errors/api-error';

/** CONFLICT for an e-mail address that another user of the account has. */
export function emailTaken(): ApiError {
  return new ApiError('CONFLICT', 'The account already has a user with this e-mail address.');
}
