/* What the experiment calls: an empty function and one that is busy, each with
 * the wrapper and slot of a welded function. */
struct seam_lab_busy {
	long ns;
};

void *seam_lab_empty_slot_address(void);
void *seam_lab_empty_body_address(void);
void *seam_lab_busy_slot_address(void);
void *seam_lab_busy_body_address(void);

/* seam_lab_through runs f(arg): what runtime.cgocall does in a welded package. */
int seam_lab_through(void *f, void *arg);
