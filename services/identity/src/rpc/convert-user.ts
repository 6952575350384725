import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ROLE_VALUES } from '@fairlead/access/proto-enums';
import { Role as RoleMessage } from '@fairlead/contracts/identity/v1/user_pb';
import type { UserSchema } from '@fairlead/contracts/identity/v1/user_pb';
import type { CreateUserRequest, UpdateUserRequest } from '@fairlead/contracts/identity/v1/user_service_pb';
import { Secret } from '@fairlead/service-kit/secret';
import type { User } from '../domain/records.ts';
import type { NewUser } from '../use-cases/create-user.ts';
import type { UserChange } from '../use-cases/update-user.ts';
import { fromValue } from './from-value.ts';

export function toUser(user: User): MessageInitShape<typeof UserSchema> {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: ROLE_VALUES[user.role],
    isActive: user.isActive,
    createdAt: timestampFromDate(user.createdAt),
    updatedAt: timestampFromDate(user.updatedAt),
  };
}

export function fromCreateUserRequest(request: CreateUserRequest): NewUser {
  const { email, name, password, role, isActive } = request;
  return {
    email,
    name,
    password: password === undefined ? undefined : new Secret(password),
    role: fromValue(ROLE_VALUES, role, 'role'),
    isActive,
  };
}

/** The fields to change; absent ones are left out. */
export function fromUpdateUserRequest(request: UpdateUserRequest): UserChange {
  const { email, name, password, role, isActive } = request;
  return {
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(password !== undefined && { password: new Secret(password) }),
    ...(role !== RoleMessage.UNSPECIFIED && { role: fromValue(ROLE_VALUES, role, 'role') }),
    ...(isActive !== undefined && { isActive }),
  };
}
