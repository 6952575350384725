import { v1, v2 } from 'pipedrive';

const first = (url) => new v1.Configuration({ apiKey: 'token', basePath: `${url}/api/v1` });
const second = (url) => new v2.Configuration({ apiKey: 'token', basePath: `${url}/api/v2` });

export const origin = 'https://api.pipedrive.com';
export const authenticationId = 0;
export const fields = { accessToken: 'token' };
export const cases = [
  {
    tool: 'pipedrive-list-deals',
    input: { status: 'open', ownerId: 3, sortBy: 'update_time', direction: 'desc' },
    top: 50,
    sdk: (url) =>
      new v2.DealsApi(second(url)).getDeals({
        status: 'open',
        owner_id: 3,
        sort_by: 'update_time',
        sort_direction: 'desc',
        limit: 50,
      }),
  },
  {
    tool: 'pipedrive-get-deal',
    input: { id: 7 },
    sdk: (url) => new v2.DealsApi(second(url)).getDeal({ id: 7 }),
  },
  {
    tool: 'pipedrive-create-deal',
    input: { title: 'Plan', value: 10, currency: 'EUR', personId: 3 },
    sdk: (url) =>
      new v2.DealsApi(second(url)).addDeal({
        AddDealRequest: { title: 'Plan', value: 10, currency: 'EUR', person_id: 3 },
      }),
  },
  {
    tool: 'pipedrive-update-person',
    input: { id: 7, name: 'Ada' },
    sdk: (url) =>
      new v2.PersonsApi(second(url)).updatePerson({ id: 7, UpdatePersonRequest: { name: 'Ada' } }),
  },
  {
    tool: 'pipedrive-delete-person',
    input: { id: 7 },
    sdk: (url) => new v2.PersonsApi(second(url)).deletePerson({ id: 7 }),
  },
  {
    tool: 'pipedrive-create-organization',
    input: { name: 'Acme', website: 'https://acme.example' },
    sdk: (url) =>
      new v2.OrganizationsApi(second(url)).addOrganization({
        AddOrganizationRequest: { name: 'Acme', website: 'https://acme.example' },
      }),
  },
  {
    tool: 'pipedrive-create-activity',
    input: { subject: 'Call Ada', type: 'call', dueDate: '2026-05-01', dealId: 7 },
    sdk: (url) =>
      new v2.ActivitiesApi(second(url)).addActivity({
        AddActivityRequest: { subject: 'Call Ada', type: 'call', due_date: '2026-05-01', deal_id: 7 },
      }),
  },
  {
    tool: 'pipedrive-create-note',
    input: { content: 'Hello', dealId: 7 },
    sdk: (url) => new v1.NotesApi(first(url)).addNote({ AddNoteRequest: { content: 'Hello', deal_id: 7 } }),
  },
  {
    tool: 'pipedrive-delete-lead',
    input: { id: 'a1' },
    sdk: (url) => new v1.LeadsApi(first(url)).deleteLead({ id: 'a1' }),
  },
  {
    tool: 'pipedrive-get-current-user',
    input: {},
    sdk: (url) => new v1.UsersApi(first(url)).getCurrentUser(),
  },
];
