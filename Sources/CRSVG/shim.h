#pragma once
#include <cairo.h>
#include <glib-object.h>
#include <librsvg/rsvg.h>
