/** The name in the `User-Agent` of the doctor's requests. The service keeps these requests out of its counts. */
export const DOCTOR_AGENT = 'placard-doctor'
