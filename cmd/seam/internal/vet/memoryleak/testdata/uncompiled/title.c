#include <stdlib.h>
#include "nobody-has-this.h"

static widget_t *item;

void set_title(char *title) {
	widget_set_title(item, title);
	free(title);
}

void set_item(int id, char *title) {
	item = widget_find(id);
	set_title(title);
}

void look(char *title) { widget_look(item, title); } // free(title) is the caller's

void keep(char *title) { item->title = title; }
