import { z } from 'zod';

/** A value of a record's field as stored and as returned. */
export type FieldValue = string | number | null;

/** One contact, deal or invoice as the API returns it. */
export type CrmRecord = Readonly<Record<string, FieldValue>>;

/** How a field's values compare: text by code point, numbers by value, times as ISO 8601 UTC text with milliseconds. */
export type FieldKind = 'text' | 'number' | 'time';

/** The definition of one type of record, for the API, the list query and the storage. */
export interface RecordType {
  /** Table name, and noun in messages. */
  readonly name: 'contact' | 'deal' | 'invoice';
  /** Path segment below `/api`. */
  readonly path: string;
  /** Prefix of every id: `<idPrefix>_<number>`. */
  readonly idPrefix: string;
  /** Fields in the order of a response; each can be used in filters and sorts. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** Body of a create; missing members get their default. */
  readonly createSchema: z.ZodType<CrmRecord>;
  /** Body of an update; undefined if records of this type cannot be changed. */
  readonly updateSchema: z.ZodType<CrmRecord> | undefined;
  readonly canDelete: boolean;
}

const CURRENCIES = /^[A-Z]{3}$/;
const name = z.string().trim().min(1).max(200);
const optionalText = z.string().max(200).nullable();
const email = z.email().max(320).nullable();
const amount = z.number().min(-1e12).max(1e12);
const currency = z.string().regex(CURRENCIES, 'expected a currency code of three capital letters, like USD');
const contactId = z.string().min(1).max(64);

const contactFields = { name, email, company: optionalText, phone: optionalText };

const stage = z.enum(['lead', 'qualified', 'proposal', 'negotiation', 'won', 'lost']);
const dealFields = { title: name, amount, currency, stage, contactId: contactId.nullable() };

// An empty update is refused, because it is more likely a mistake of the client.
const notEmpty = { error: 'expected at least one field to change' };
const hasMember = (body: object): boolean => Object.keys(body).length > 0;

// At run time a partial has no absent members, although the type allows `undefined`.
const recordOf = (body: Readonly<Record<string, FieldValue | undefined>>): CrmRecord =>
  Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );

/** Contacts: people with whom the workspace does business. */
export const contactType: RecordType = {
  name: 'contact',
  path: 'contacts',
  idPrefix: 'con',
  fields: { id: 'text', name: 'text', email: 'text', company: 'text', phone: 'text', createdAt: 'time' },
  createSchema: z.strictObject({
    ...contactFields,
    email: email.default(null),
    company: optionalText.default(null),
    phone: optionalText.default(null),
  }),
  updateSchema: z.strictObject(contactFields).partial().refine(hasMember, notEmpty).transform(recordOf),
  canDelete: true,
};

/** Deals: sales in progress. */
export const dealType: RecordType = {
  name: 'deal',
  path: 'deals',
  idPrefix: 'deal',
  fields: {
    id: 'text',
    title: 'text',
    amount: 'number',
    currency: 'text',
    stage: 'text',
    contactId: 'text',
    createdAt: 'time',
    updatedAt: 'time',
  },
  createSchema: z.strictObject({
    ...dealFields,
    amount: amount.default(0),
    currency: currency.default('USD'),
    stage: stage.default('lead'),
    contactId: contactId.nullable().default(null),
  }),
  updateSchema: z.strictObject(dealFields).partial().refine(hasMember, notEmpty).transform(recordOf),
  canDelete: false,
};

/** Invoices to contacts; they cannot be changed. */
export const invoiceType: RecordType = {
  name: 'invoice',
  path: 'invoices',
  idPrefix: 'inv',
  fields: {
    id: 'text',
    contactId: 'text',
    amount: 'number',
    currency: 'text',
    status: 'text',
    createdAt: 'time',
  },
  createSchema: z.strictObject({
    contactId,
    amount,
    currency: currency.default('USD'),
    status: z.enum(['draft', 'sent', 'paid', 'overdue', 'void']).default('draft'),
  }),
  updateSchema: undefined,
  canDelete: false,
};

/** All types of records; a type comes after the types that it refers to. */
export const recordTypes: readonly RecordType[] = [contactType, dealType, invoiceType];
