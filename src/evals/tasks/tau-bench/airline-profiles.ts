import * as z from 'zod';
import { type Tool, tool } from '../../../tools/tool.ts';
import type { AirlineDatabase } from './airline-database.ts';
import { recordOf } from './desk.ts';

/** The benchmark's own names for certificates that an agent sends; recorded runs refer to them. */
const newCertificates = ['certificate_3221322', 'certificate_3221323', 'certificate_3221324'];

/** The tools on users and what stands in their profiles. */
export function profileTools({ users, reservations }: AirlineDatabase): Tool[] {
  return [
    tool({
      name: 'get_user_details',
      description: 'Shows the profile of a user: payment methods, saved passengers, membership, ids of reservations.',
      input: z.object({ user_id: z.string().describe('For example mia_li_3668') }),
      effect: 'read',
      trust: 'trusted',
      run: ({ user_id }) => JSON.stringify(recordOf(users, user_id, 'user')),
    }),
    tool({
      name: 'get_reservation_details',
      description: 'Shows a reservation: flights, passengers, payments, baggage, insurance.',
      input: z.object({ reservation_id: z.string().describe('Six letters and digits, for example 8JX2WO') }),
      effect: 'read',
      trust: 'trusted',
      run: ({ reservation_id }) => JSON.stringify(recordOf(reservations, reservation_id, 'reservation')),
    }),
    tool({
      name: 'send_certificate',
      description: 'Gives a user a travel certificate, as compensation. It cannot be taken back.',
      input: z.object({ user_id: z.string(), amount: z.number().describe('In USD') }),
      effect: 'write',
      trust: 'trusted',
      run: ({ user_id, amount }) => {
        const methods = recordOf(users, user_id, 'user').payment_methods;
        const id = newCertificates.find((one) => !Object.hasOwn(methods, one));
        if (id === undefined)
          throw new Error(`${user_id} has been sent ${newCertificates.length} certificates already`);
        methods[id] = { source: 'certificate', amount, id };
        return `${id} over $${amount} was added to the profile of ${user_id}.`;
      },
    }),
  ];
}
